export const companySettingsPath = '/console/company'
export const companyDirectoryPath = `${companySettingsPath}/directory`
export const companyPeoplePath = `${companySettingsPath}/people`

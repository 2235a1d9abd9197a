export const companySettingsPath = '/console/company'
export const companyPeoplePath = `${companySettingsPath}/people`

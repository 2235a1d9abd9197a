export const ledgerPath = '/console/ledger'

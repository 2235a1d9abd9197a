/** The page that executes a proposal alone. */
export const glassPath = (id: number | ':id'): string => `/console/proposals/${id}/break-glass`

/** The page of the review. */
export const glassReviewPath = (id: number | ':id'): string => `/console/break-glass/${id}`

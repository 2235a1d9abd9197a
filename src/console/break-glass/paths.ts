/** The page that executes a proposal alone. */
export const glassPath = (id: number | ':waiting'): string => `/console/proposals/${id}/break-glass`

/** The page of the review. */
export const glassReviewPath = (id: number | ':broken'): string => `/console/break-glass/${id}`

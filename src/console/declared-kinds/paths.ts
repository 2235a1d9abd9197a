export const kindsPath = '/console/kinds'
/** No kind has a name with a `-`. */
export const newKindPath = `${kindsPath}/new-kind`
export const reviewKindPath = `${newKindPath}/review`

/** The page of one kind. */
export const kindPathOf = (kind: string): string => `${kindsPath}/${kind}`

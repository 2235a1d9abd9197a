/** A sentence as a part of another. */
export const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

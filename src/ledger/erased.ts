/** What stands in the rows of an erased member instead of their name. */
export const erased = 'erased'

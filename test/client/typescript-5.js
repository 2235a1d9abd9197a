/** What a module that imports `typescript` gets. */
import { ts } from '@ts-morph/common'

export default ts

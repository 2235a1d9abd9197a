import { describeGate } from '../support/gate-decides.ts'

describeGate('claude')

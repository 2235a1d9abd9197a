import { describeGate } from '../support/gate-decides.ts'

describeGate('gemini')

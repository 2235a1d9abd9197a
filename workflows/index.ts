export { proposal } from './proposal.ts'
export { reconcile } from './reconcile.ts'

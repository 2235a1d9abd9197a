export { preview } from './preview.ts'
export { proposal } from './proposal.ts'
export { reconcile } from './reconcile.ts'

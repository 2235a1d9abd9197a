import './workflow-retries.ts'

/** The workflows as tests run them: what fails is tried again soon. */
export * from '../../workflows/index.ts'

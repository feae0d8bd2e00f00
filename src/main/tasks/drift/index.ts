/** Drift: changes while a task did not run, and restoring its directory. See README.md. */
export { createDrift, type FindDrift } from './drift.ts'
export { createFindObstacle, type FindObstacle } from './obstacle.ts'
export { type NeedsRestore, needsRestore } from './presence.ts'
export { createRestoreWorkingDir, type RestoreWorkingDir } from './restore.ts'

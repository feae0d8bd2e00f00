/** Drift: what changed while a task did not run, and how its directory comes back. See README.md. */
export { createDrift, type FindDrift } from './drift.ts'
export { createFindObstacle, type FindObstacle } from './obstacle.ts'
export { createRestoreWorkingDir, type RestoreWorkingDir } from './restore.ts'

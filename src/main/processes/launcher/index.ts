export { startProgram } from './launcher.ts'
export type { ProgramOutput, ProgramStart, RunningProgram } from './program.ts'

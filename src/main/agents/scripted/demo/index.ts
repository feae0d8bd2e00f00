export { demoFiles } from './project.ts'
export { demoScenario } from './scenario.ts'

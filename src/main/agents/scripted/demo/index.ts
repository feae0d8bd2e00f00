export const demoScenario = ''
export const demoFiles: Record<string, string> = {}

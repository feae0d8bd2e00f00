// The child process of scripts/mutants.mjs: keeps one Vitest ready in the current directory and runs what the
// parent sends, `{ changed, path, test }`: the file that changed since the last run, and a test file or folder,
// or one test of a file by its full name. Answers each with the first failure and how many tests were run.
import { createVitest } from 'vitest/node'

/** Failures of the current run. A module that Vitest did not reach would still show the result of an earlier run. */
let failures = []
let testCount = 0

const vitest = await createVitest({
  watch: false,
  bail: 1,
  silent: true,
  reporters: [
    {
      onTestCaseResult(test) {
        const { state } = test.result()
        if (state !== 'skipped') testCount++
        if (state === 'failed')
          failures.push({ file: test.module.relativeModuleId, test: test.fullName })
      },
      onTestSuiteResult: reportErrors,
      onTestModuleEnd: reportErrors,
    },
  ],
})

/** The file changed by the run before: it may have been restored since, while its module is still the changed one. */
let changedBefore = null

process.on('message', async ({ changed, path, test }) => {
  for (const file of [changedBefore, changed]) if (file) vitest.invalidateFile(file)
  changedBefore = changed
  failures = []
  testCount = 0
  const found = await vitest.globTestSpecifications([path])
  const specs = test
    ? found.map(({ project, moduleId }) =>
        project.createSpecification(moduleId, { testNames: [test] }),
      )
    : found
  const { unhandledErrors } = await vitest.runTestSpecifications(specs)
  if (unhandledErrors.length > 0) failures.push({ file: path })
  process.send({ failure: failures[0] ?? null, testCount })
})
process.on('disconnect', () => process.exit())
process.send('ready')

/** What fails outside a test, such as an import or a hook, fails the file. */
function reportErrors(entity) {
  const module = entity.type === 'module' ? entity : entity.module
  if (entity.errors().length > 0) failures.push({ file: module.relativeModuleId })
}

/** Derives the outcome of test runners, compilers and linters from their output. Pure. */

/** Only the end of a long output is read: summaries are printed there. */
const tailChars = 8_000

const counted = (pattern: RegExp, text: string): number =>
  [...text.matchAll(pattern)].reduce((most, match) => Math.max(most, Number(match[1])), 0)

/** Returns null if the output does not show the outcome. */
export function printedOutcome(output: string): 'passed' | 'failed' | null {
  const text = plain(output)
  if (
    counted(/\b(\d+) (?:tests? )?(?:failed|failing|failures?|errors?)\b/gi, text) > 0 ||
    counted(/\b(?:fail(?:ures|ed)?|errors):? (\d+)/gi, text) > 0 ||
    failures.test(text)
  )
    return 'failed'
  return counted(/\b(\d+) (?:tests? )?(?:passed|passing|examples?)\b/gi, text) > 0 ||
    counted(/^# pass (\d+)/gm, text) > 0 ||
    counted(/\b(\d+) tests?, (?:\d+ assertions?, )?0 failures\b/gi, text) > 0 ||
    successes.test(text)
    ? 'passed'
    : null
}

/** Reports whether the output is that of a test runner. */
export const printsTests = (output: string): boolean => summaries.test(plain(output))

const failures =
  /^(?:FAIL\b|--- FAIL|FAILED\b|test result: FAILED|BUILD FAIL|not ok \d)|error TS\d+|error: could not compile/m
const successes =
  /^(?:test result: ok|ok {2}\t|OK(?: \(|$)|PASS$|BUILD SUCCESS|All checks passed|Success: no issues)|Found 0 errors|0 problems|^done \(passed successfully\)|found no issues\./m
const summaries =
  /^\s*Tests?:? +\d+ (?:passed|failed)|^=+ .*\d+ (?:passed|failed).* =+$|^test result: |^ok {2}\t|^--- (?:FAIL|PASS)|^\s*\d+ passing|^# (?:pass|tests) \d+|^Ran \d+ tests? in |\d+% tests passed|\d+ examples?, \d+ failures?/m

/** Returns the end of the output without colours. */
const plain = (output: string): string =>
  output.slice(-tailChars).replaceAll(/\u001B\[[0-9;]*m/g, '')

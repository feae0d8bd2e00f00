import { expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'

/** What shows a command to the user who is to allow it: one view in the window, one in a terminal. */
const views = [
  'src/main/hosts/cli/terminal/command-text.ts',
  'src/renderer/components/approval/command-to-allow.tsx',
]
/** Where a yes is sent from, and where the text is shown that it is about. */
const asking: Record<string, string> = {
  'src/main/hosts/cli/commands/trust.ts': 'src/main/hosts/cli/terminal/pager.ts',
  'src/main/hosts/cli/terminal/permission-prompt.ts': 'src/main/hosts/cli/terminal/pager.ts',
  'src/main/hosts/cli/terminal/person-prompts.ts':
    'src/main/hosts/cli/terminal/permission-prompt.ts',
  'src/renderer/components/approval/permission-prompt.tsx':
    'src/renderer/components/approval/permission-prompt.tsx',
  'src/renderer/views/agents/use-start-approval.tsx': 'src/renderer/views/agents/setup-trust.tsx',
}

const sources = projectFiles().filter(
  (path) => /^src\/(?:renderer|main\/hosts)\/.*\.tsx?$/.test(path) && !path.includes('.stories.'),
)

it('[K6] shows commands that are to be allowed by one function, in one view for each host', () => {
  const using = sources.filter((path) => /\bshownCommand\(/.test(readProjectFile(path)))
  expect(using.toSorted()).toEqual(views)
})

it('[K6] sends a yes only from where the command was shown by that view', () => {
  const sends = /kind: 'allow-(?:once|always)'|\.(?:trustSetup|allowConfiguration)\(/
  const sending = sources.filter((path) => sends.test(readProjectFile(path)))
  expect(sending.toSorted()).toEqual(Object.keys(asking).toSorted())
  for (const [path, shower] of Object.entries(asking)) {
    const name = shower.split('/').at(-1) ?? ''
    if (path !== shower) expect(readProjectFile(path), path).toContain(`/${name}'`)
    const text = readProjectFile(shower)
    expect(/<CommandToAllow\b|\bcommandRows\(|\/pager\.ts'/.test(text), shower).toBe(true)
  }
})

import type { Mutant } from './mutant.ts'

/** Tools of agents, and what of the environment and of secrets reaches them or the record. */
export const agentsMutants: Mutant[] = [
  {
    id: 'agents-original-kept-too-late',
    file: 'src/main/agents/tools/change-file.ts',
    find: '  await files.keepOriginal(before)\n  await write(inside, path, bytes)\n',
    replace: '  await write(inside, path, bytes)\n  await files.keepOriginal(before)\n',
    harm: 'After a crash, what a file held before the agent replaced it is nowhere.',
    tests: ['tests/agents/tools/file-tools.test.ts'],
  },
  {
    id: 'agents-git-folder-written',
    file: 'src/main/agents/tools/change-file.ts',
    find: "path.relative.split('/').some(isGitName)",
    replace: "path.relative.split('/').every(isGitName)",
    harm: 'An agent writes a hook that runs with the next commit of a person.',
    tests: ['tests/agents/tools/file-tools.test.ts'],
  },
  {
    id: 'agents-failed-change-recorded',
    file: 'src/main/agents/tools/change-file.ts',
    find: '    if (error instanceof ToolError) throw error\n    throw fileError(path.relative, error)\n  }\n}\n\nconst unchanged',
    replace: '    void error\n  }\n}\n\nconst unchanged',
    harm: 'The record says that a file was changed which the disk refused to write.',
    tests: ['tests/agents/tools/file-tools.test.ts'],
  },
  {
    id: 'secrets-half-of-one-shown',
    file: 'src/main/secrets/masker.ts',
    find: '          if (one.end > until) until = Math.min(until, one.start)\n',
    replace: '          void one\n',
    harm: 'A secret that is the beginning of a longer one is shown in part while an agent speaks.',
    tests: ['tests/secrets/masker.test.ts'],
  },
  {
    id: 'secrets-base64-at-one-place',
    file: 'src/main/secrets/masker.ts',
    find: '[0, 1, 2].map',
    replace: '[0].map',
    harm: 'A password in an Authorization header is recorded, because it does not stand at its beginning.',
    tests: ['tests/secrets/masker.test.ts'],
  },
  {
    id: 'secrets-key-of-object-shown',
    file: 'src/main/secrets/masker.ts',
    find: '[text(key), value(item)]',
    replace: '[key, value(item)]',
    harm: 'A secret that a tool gives as the name of a field is recorded.',
    tests: ['tests/secrets/masker.test.ts', 'tests/systems/secrets.test.ts'],
  },
  {
    id: 'secrets-known-by-name-only',
    file: 'src/main/secrets/agent-environment.ts',
    find: 'isSecretName(name) || hasSecretForm(value)',
    replace: 'isSecretName(name)',
    harm: 'A token in a variable of a harmless name reaches every shell of an agent.',
    tests: ['tests/secrets/agent-environment.test.ts'],
  },
  {
    id: 'secrets-variables-of-git-passed',
    file: 'src/main/secrets/agent-environment.ts',
    find: 'ofGit.test(name) || ofShiplog',
    replace: 'ofShiplog',
    harm: "An agent's commit goes to the repository from whose hook Shiplog was started.",
    tests: ['tests/secrets/agent-environment.test.ts', 'tests/agents/tools/bash.test.ts'],
  },
]

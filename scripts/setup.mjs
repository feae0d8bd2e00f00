// Gets a checkout ready to run, from nothing but Git, Node 20 and npm. Run before every npm script
// that needs packages; costs milliseconds when there is nothing to do.
//
//   node scripts/setup.mjs         packages
//   node scripts/setup.mjs start   packages, and the Electron runtime where a window can open
//   node scripts/setup.mjs test    packages, and a Chromium
//
// No dependencies, and only syntax and modules that old Nodes know, so that one that is too old
// reads the message below instead of a syntax error.
import { spawnSync } from 'node:child_process'
import { argv, env, exit, versions } from 'node:process'

/** npm 10 comes with it, and so does everything that the scripts use until the pinned Node is there. */
const oldestNode = '20.0.0'

await main(argv[2] ?? 'packages').catch((problem) => {
  console.error(`\nshiplog set-up: ${problem.message}\n`)
  exit(1)
})

async function main(goal) {
  if (Number.parseInt(versions.node, 10) < Number.parseInt(oldestNode, 10)) {
    throw new Error(
      `this is Node ${versions.node}. Install Node ${oldestNode} or newer (https://nodejs.org), then run the same command again.`,
    )
  }
  requireGit()
  await (await import('./packages.mjs')).ensurePackages()
  if (goal === 'start') await (await import('./electron-runtime.mjs')).tryElectronRuntime()
  if (goal === 'test') await (await import('./chromium-install.mjs')).ensureChromium()
}

function requireGit() {
  if (spawnSync('git', ['--version'], { env }).status === 0) return
  throw new Error(
    'Git was not found. Shiplog works on Git repositories: install it (https://git-scm.com/downloads), see that `git --version` answers, then run the same command again.',
  )
}

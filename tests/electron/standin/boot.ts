/** Starts the app that the arguments name, as Electron's own executable does: first its entry, then 'ready'. */
import { existsSync, readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startApp } from './app.ts'

const args = process.argv.slice(2)
process.argv = [process.argv[0] ?? '', ...args]

// Playwright reads the address that this prints, and evaluates in this process through it.
if (args.includes('--inspect=0')) inspector.open(0)

const target = args.find((argument) => !argument.startsWith('-'))
if (target === undefined) throw new Error('name the folder or the main file of an app')
await import(pathToFileURL(entryOf(target)).href)
// A top-level await of `whenReady` never gets here, as it never gets anywhere in Electron.
await startApp({ printDevToolsAddress: args.includes('--remote-debugging-port=0') })

function entryOf(path: string): string {
  const manifest = join(path, 'package.json')
  if (!existsSync(manifest)) return resolve(path)
  return resolve(path, JSON.parse(readFileSync(manifest, 'utf8')).main)
}

/** Detects that a project's folder is missing, and returns the remedy. */
import { stat } from 'node:fs/promises'
import type { Project } from '../../../shared/records/projects/projects.ts'
import { systemCode } from '../../journal/index.ts'

/** Returns false if the disk reports any other error, because the folder may exist. */
export async function isGone(dir: string): Promise<boolean> {
  try {
    return !(await stat(dir)).isDirectory()
  } catch (error) {
    const code = systemCode(error)
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

/** `project` is undefined if it was removed from the list; then only its old path is known. */
export function goneFolderAdvice(project: Project | undefined, dir: string): string {
  const gone = `The project's folder ${dir} is missing.`
  if (!project) return `${gone} Put it back, and try again.`
  return project.identity
    ? `${gone} If it was moved, add it at its new path (\`shiplog projects add DIR\`, or "Add a project" in the app): its agents and archive continue there. If not, put it back.`
    : `${gone} Put it back, and try again: without a Git commit a project is identified by its path alone.`
}

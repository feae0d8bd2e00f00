import { Shield, ShieldOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import {
  type RunSandbox,
  type SandboxSetting,
  sandboxText,
} from '../../../shared/records/projects/sandbox.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { useProject, useStores } from '../../store/hooks.ts'

/** Which sandbox the commands of an agent have, by its project's settings. */
export function SandboxMark({ task }: { task: Task }) {
  const project = useProject(task.projectId)
  const sandbox = useSandbox(project?.sandbox ?? 'off')
  if (!sandbox || task.archived) return null
  const isOn = sandbox.setting !== 'off' && sandbox.program !== null
  const text = sandboxText(sandbox)
  return (
    <span className="flex items-center gap-1" title={text}>
      {isOn ? (
        <Shield aria-hidden className="size-3.5" />
      ) : (
        <ShieldOff aria-hidden className="size-3.5 text-faint" />
      )}
      {/* A narrow header shows only the icon. */}
      <span aria-hidden className="hidden @3xl:inline">
        {isOn ? 'Sandbox' : 'No sandbox'}
      </span>
      <span className="sr-only">{text}</span>
    </span>
  )
}

/** Null until the host has reported what this system supports. */
function useSandbox(setting: SandboxSetting): RunSandbox | null {
  const { client } = useStores()
  const [found, setFound] = useState<Omit<RunSandbox, 'setting'> | null>(null)
  const isOff = setting === 'off'
  useEffect(() => {
    // Not checked for projects without a sandbox, because the check starts processes.
    if (isOff) return
    let wanted = true
    client.app.sandbox().then(
      (support) => wanted && setFound(support),
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [client, isOff])
  if (isOff) return { setting, program: null, why: null }
  return found && { setting, ...found }
}

import { Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { ariaKeys, Button, keysText, Select } from '../../components/primitives/index.ts'
import {
  useAppInfo,
  useLatestProject,
  useProjects,
  useStores,
  useUnreachable,
} from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { useInstalledAgents } from '../installed/use-installed-agents.ts'

const continueKey = 'Mod+Enter'
const draftKey = 'home'

/** A prompt and a project for a new agent; the dialog asks for the rest. */
export function StartAgent() {
  const { overlay, drafts } = useStores()
  const projects = useProjects()
  const unreachable = useUnreachable()
  const latest = useLatestProject()
  const [prompt, setPrompt] = useState(() => drafts.of(draftKey))
  const [chosen, setChosen] = useState<string | null>(null)
  const labels = projectLabels(projects)
  const project = projects.find(({ id }) => id === chosen) ?? latest
  const write = (text: string) => {
    setPrompt(text)
    drafts.set(draftKey, text)
  }
  const toDialog = () =>
    overlay.show({
      kind: 'new-agent',
      projectId: project?.id ?? null,
      prompt,
      onStarted: () => write(''),
    })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (unreachable === undefined) toDialog()
  }
  return (
    <section
      aria-label="Start an agent"
      className="rounded-md border border-line-field bg-raised has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-focus"
    >
      <textarea
        aria-label="Task for a new agent"
        aria-keyshortcuts={ariaKeys(continueKey)}
        dir="auto"
        rows={2}
        value={prompt}
        placeholder="Describe a task for a new agent"
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-[33vh] min-h-16 w-full resize-none bg-transparent px-3 pt-2 text-read outline-none [field-sizing:content]"
      />
      <div className="flex items-center gap-2 p-1.5">
        {project && projects.length > 1 ? (
          <Select
            quiet
            label="Project"
            value={project.id}
            onChange={setChosen}
            options={projects.map(({ id, name, dir }) => ({
              value: id,
              label: labels.get(id) ?? name,
              hint: dir,
            }))}
            className="max-w-64 min-w-0"
          />
        ) : null}
        <span className="min-w-0 flex-1 truncate text-right text-small text-muted">
          {unreachable ?? keysText(continueKey)}
        </span>
        <Button
          variant="primary"
          icon={<Plus />}
          disabled={unreachable !== undefined}
          title={unreachable}
          onClick={toDialog}
        >
          New agent…
        </Button>
        <NothingSetUp />
      </div>
    </section>
  )
}

/** After the demo the first steps are gone, and a new agent could only play a scenario. */
function NothingSetUp() {
  const { navigation } = useStores()
  const { info } = useAppInfo()
  const { agents: installed } = useInstalledAgents()
  const model = info?.agents.find(({ kind }) => kind === 'model')
  // Unknown until both are loaded, so that it does not flash. It comes later than the screen, so it takes no line of its own.
  const isKnown = model !== undefined && installed !== null
  if (!isKnown || model.available || installed.some(({ available }) => available)) return null
  const openSettings = () => navigation.go({ screen: 'settings', section: 'models' })
  return (
    <>
      <span className="order-first min-w-0 truncate pl-1.5 text-small text-muted">
        No model is set up: a new agent can only follow a scenario.
      </span>
      <Button variant="quiet" onClick={openSettings} className="order-first">
        Set up a model…
      </Button>
    </>
  )
}

import { useEffect, useId, useRef, useState } from 'react'
import type { ProjectPlanning } from '../../../shared/contract/projects.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import {
  defaultEnvironment,
  isSameEnvironment,
  type Project,
  type ProjectEnvironment,
} from '../../../shared/records/projects/projects.ts'
import type { SandboxSetting } from '../../../shared/records/projects/sandbox.ts'
import { PermissionFields } from '../../components/permissions/permission-fields.tsx'
import { Button, Field, NoticeLine, Skeleton, TextArea } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useProject, useStores, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { usePermissionSettings } from '../permissions/use-permission-settings.ts'
import {
  type EnvironmentForm,
  environmentFormOf,
  parseEnvironment,
  withNames,
} from './environment-form.ts'
import { SandboxFields } from './sandbox-fields.tsx'

/** A project's settings: the variables of its agents, their permissions, and where its agent history is kept. */
export function ProjectSettingsDialog({ projectId }: { projectId: ProjectId }) {
  const project = useProject(projectId)
  return project ? <Settings project={project} /> : null
}

function Settings({ project }: { project: Project }) {
  const { client } = useStores()
  const permissions = usePermissionSettings({ kind: 'project', projectId: project.id })
  const present = project.environment ?? defaultEnvironment
  /** The edited form, and the environment that it was made from; null while nothing is edited. */
  const [edit, setEdit] = useState<{ form: EnvironmentForm; from: ProjectEnvironment } | null>(null)
  /** Null while it is unchanged. */
  const [sandbox, setSandbox] = useState<SandboxSetting | null>(null)
  const presentSandbox = project.sandbox ?? 'off'
  const field = useRef<HTMLInputElement>(null)
  const form = edit?.form ?? environmentFormOf(present)
  const { environment, error } = parseEnvironment(form)
  // During a save the project's environment becomes that of the form.
  const isSaved = environment !== null && isSameEnvironment(environment, present)
  const isOutdated = edit !== null && !isSaved && !isSameEnvironment(edit.from, present)
  return (
    <FormDialog
      title={`Settings of ${project.name}`}
      action="Save"
      doing="save the settings of the project"
      canSubmit={environment !== null && !isOutdated}
      submit={async () => {
        if (!environment) return
        await permissions.save()
        if (sandbox !== null && sandbox !== presentSandbox)
          await client.projects.setSandbox({ projectId: project.id, sandbox })
        const shown = edit?.from ?? present
        // Saving confirms the revoked variables even if nothing was edited.
        if (isSameEnvironment(environment, shown) && !project.revokedVariables) return
        await client.projects.setEnvironment({ projectId: project.id, environment, shown })
      }}
      focus={field}
    >
      {isOutdated ? (
        <NoticeLine
          tone="warning"
          text="These settings were changed elsewhere while you edited them, so your changes can’t be saved."
          action={{
            label: 'Show the current settings',
            onClick: () => {
              setEdit(null)
              // The button is removed with its notice. Lost focus would be moved later, while the user types.
              field.current?.focus()
            },
          }}
        />
      ) : null}
      {project.revokedVariables && edit === null ? (
        <NoticeLine
          tone="warning"
          text={`Passed on before the project moved or its repository was replaced: ${project.revokedVariables.join(', ')}. Saving confirms what is set here.`}
          action={{
            label: 'Pass them on again',
            onClick: () => {
              setEdit({
                form: withNames(form, project.revokedVariables ?? []),
                from: present,
              })
              field.current?.focus()
            },
          }}
        />
      ) : null}
      <EnvironmentFields
        form={form}
        error={error}
        onChange={(changed) => setEdit({ form: changed, from: edit?.from ?? present })}
        first={field}
      />
      <section className="flex flex-col gap-2 border-t pt-4">
        <h3 className="font-semibold">Permissions</h3>
        {permissions.settings ? (
          <PermissionFields
            inherited
            settings={permissions.settings}
            onChange={permissions.change}
          />
        ) : permissions.problem ? (
          <ProblemNotice
            problem={permissions.problem}
            action={{ label: 'Try again', onClick: permissions.reload }}
          />
        ) : (
          <Skeleton lines={2} />
        )}
      </section>
      <SandboxFields value={sandbox ?? presentSandbox} onChange={setSandbox} />
      <PlanningFolder project={project} />
    </FormDialog>
  )
}

function EnvironmentFields(props: {
  form: EnvironmentForm
  error: string | null
  onChange(form: EnvironmentForm): void
  first: React.RefObject<HTMLInputElement | null>
}) {
  const { form, error, onChange, first } = props
  const name = useId()
  const option = (mode: EnvironmentForm['mode'], label: string, hint: string) => (
    <label className="flex gap-2">
      <input
        ref={form.mode === mode ? first : undefined}
        type="radio"
        name={name}
        checked={form.mode === mode}
        onChange={() => onChange({ ...form, mode })}
        className="mt-0.5 size-4 shrink-0 accent-[var(--accent-fill)]"
      />
      <span>
        {label}
        <span className="block text-small text-muted">{hint}</span>
      </span>
    </label>
  )
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-semibold">Environment variables that agents get</legend>
        {option(
          'others',
          'Everything except secrets',
          'Your variables, without tokens, keys and passwords.',
        )}
        {option(
          'listed',
          'Only the ones listed here',
          'And what every program needs, such as PATH and HOME.',
        )}
      </fieldset>
      {form.mode === 'others' ? (
        <Field
          label="Secrets to pass on"
          error={error}
          hint="Names, one per line, such as NPM_TOKEN. Agents can read the values and use them as you can."
        >
          <TextArea
            rows={2}
            value={form.secrets}
            onChange={(event) => onChange({ ...form, secrets: event.target.value })}
            className="font-mono text-code"
          />
        </Field>
      ) : (
        <Field
          label="Variables to pass on"
          error={error}
          hint="Names, one per line, such as JAVA_HOME. A secret that is listed is passed on too."
        >
          <TextArea
            rows={3}
            value={form.listed}
            onChange={(event) => onChange({ ...form, listed: event.target.value })}
            className="font-mono text-code"
          />
        </Field>
      )}
      <p className="text-small text-muted">
        Applies to agents’ commands and the set-up command, from each agent’s next run on.
      </p>
    </div>
  )
}

/** Where the agent history is kept. The folder is created at once, before the settings are saved. */
function PlanningFolder({ project }: { project: Project }) {
  const { client } = useStores()
  const unreachable = useUnreachable()
  const [planning, setPlanning] = useState<ProjectPlanning | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState(false)
  const section = useRef<HTMLElement>(null)
  const projectId = project.id
  useEffect(() => {
    let wanted = true
    client.projects.planning({ projectId }).then(
      (found) => wanted && setPlanning(found),
      (error: unknown) => wanted && setProblem(problemOf(error, 'look for .planning')),
    )
    return () => {
      wanted = false
    }
  }, [client, projectId])
  const make = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await client.projects.createPlanning({ projectId })
      const made = await client.projects.planning({ projectId })
      // The button is removed, perhaps with the focus. The dialog would take lost focus a frame later, while the
      // user already types elsewhere.
      if (section.current?.contains(document.activeElement)) section.current.focus()
      setPlanning(made)
    } catch (error) {
      setProblem(problemOf(error, 'create .planning'))
    }
    setBusy(false)
  }
  return (
    <section ref={section} tabIndex={-1} className="flex flex-col gap-2 border-t pt-4 outline-none">
      <h3 className="font-semibold">Agent history</h3>
      {planning === null && problem === null ? <Skeleton lines={1} /> : null}
      {planning ? <PlanningText planning={planning} /> : null}
      {planning?.state === 'missing' ? (
        <Button
          className="self-start"
          busy={busy}
          disabled={unreachable !== undefined}
          title={unreachable}
          onClick={() => void make()}
        >
          Create .planning
        </Button>
      ) : null}
      {problem ? <ProblemNotice problem={problem} /> : null}
    </section>
  )
}

function PlanningText({ planning: { state, dir } }: { planning: ProjectPlanning }) {
  const path = <code className="untrusted font-mono text-code">{dir}</code>
  switch (state) {
    case 'used':
      return <p className="text-muted">Kept in {path}, where planning tools read it.</p>
    case 'missing':
      return (
        <p className="text-muted">
          Kept in Shiplog’s data directory. To let planning tools read it, keep it in the project,
          in {path}.
        </p>
      )
    case 'unusable':
      return (
        <p className="text-muted">
          Kept in Shiplog’s data directory, because {path} is not a folder of the project.
        </p>
      )
  }
}

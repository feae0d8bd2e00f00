import { Component, type ReactNode } from 'react'
import { ErrorNotice } from '../../components/primitives/index.ts'

interface Props {
  /** A new key clears the error: what broke one screen must not hide the next. */
  resetKey: string
  children: ReactNode
}

/** Shows the error of a screen that throws, in its place; the rest of the window keeps working. */
export class ErrorBoundary extends Component<Props, { error: Error | null; of: string }> {
  override state = { error: null as Error | null, of: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps(props: Props, state: { of: string }) {
    return props.resetKey === state.of ? null : { error: null, of: props.resetKey }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div className="flex flex-1 items-center justify-center p-8">
        <ErrorNotice
          className="w-full max-w-[520px]"
          what="Something went wrong on this screen."
          next="This is a bug in Shiplog. Agents keep running and nothing was lost. Copy the details into a bug report."
          details={error.stack ?? error.message}
          action={{ label: 'Reload the screen', onClick: () => this.setState({ error: null }) }}
        />
      </div>
    )
  }
}

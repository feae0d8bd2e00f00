import { useMedia } from './use-media.ts'

/** Below this the sidebar folds to icons and the inspector lies over the conversation (UI, "The window"). */
const wideQuery = '(min-width: 960px)'

/** Whether there is room for a sidebar and an inspector beside the conversation. */
export const useWide = (): boolean => useMedia(wideQuery)

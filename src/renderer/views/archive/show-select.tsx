import { Select } from '../../components/primitives/index.ts'
import { usePreference, useRoute, useStores } from '../../store/hooks.ts'
import { trashRoute } from '../../store/window/route.ts'
import { shows } from './archive-choices.ts'

/** Chooses what the archive lists. "Trash" leads to its own screen, so the archive's choice stays as it is. */
export function ShowSelect() {
  const { navigation, preferences } = useStores()
  const route = useRoute()
  const show = usePreference('archiveShow')
  return (
    <Select
      quiet
      label="Show"
      value={route.screen === 'trash' ? 'trash' : show}
      onChange={(chosen) => {
        if (chosen === 'trash') return navigation.go(trashRoute)
        preferences.setState({ archiveShow: chosen })
        if (route.screen === 'trash')
          navigation.go({ screen: 'archive', taskId: null, tab: 'report' })
      }}
      options={shows}
      className="shrink-0"
    />
  )
}

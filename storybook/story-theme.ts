import { createContext } from 'react'

/** The theme of a story, as set by its `globals` or in Storybook's toolbar. */
export const StoryTheme = createContext<'light' | 'dark'>('light')

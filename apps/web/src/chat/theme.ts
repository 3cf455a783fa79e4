/** Keeps the page in step when the system turns dark or light; `public/theme.js` has set the theme it began with. */
export function followSystemTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  // Another theme than the system's was chosen in the web app; it stays.
  if (root.dataset['theme'] !== (system.matches ? 'dark' : 'light')) return;
  system.addEventListener('change', () => {
    root.dataset['theme'] = system.matches ? 'dark' : 'light';
  });
}

// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem('mesh-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing goes by the system's theme.
}

/** Whether the panel fills the window, as on phones: the condition of view/style.css. It does not open by itself there. */
export const fullScreen = (): MediaQueryList => matchMedia('(width<=520px),(height<=420px)');

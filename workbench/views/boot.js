// What a view of many parts begins with: it unpacks the scripts that Python sends, each when it is first needed.

const PATIENCE = 8000; // ms until a page says that no Python sends a part

const text = async (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();

/** Loads parts out of a model's `_parts` ({name: {needs, gz}}); a part that is not here yet is waited for. */
export function loader(model) {
  const loaded = new Map();
  const arrived = (name) =>
    new Promise((go, fail) => {
      const look = () => {
        const part = model.get("_parts")[name];
        if (!part) return;
        model.off("change:_parts", look);
        clearTimeout(timer);
        go(part);
      };
      const timer = setTimeout(() => {
        model.off("change:_parts", look);
        loaded.delete(name);
        fail(new Error(`${name} has not come: no Python answers. Run the cell again.`));
      }, PATIENCE);
      model.on("change:_parts", look);
      look();
    });
  const open = async (name) => {
    const part = await arrived(name);
    if (name.endsWith(".css")) return text(part.gz);
    const [source, ...needed] = await Promise.all([text(part.gz), ...part.needs.map(load)]);
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    try {
      const handles = Object.fromEntries(part.needs.map((need, i) => [`$_${need.replace(/\.js$/, "")}`, needed[i]]));
      return (await import(url)).default(handles);
    } finally {
      URL.revokeObjectURL(url);
    }
  };
  const load = (name) => {
    if (!loaded.has(name)) loaded.set(name, open(name));
    return loaded.get(name);
  };
  return load;
}

const loaders = new WeakMap();

export default {
  async render({ model, el }) {
    if (!loaders.has(model)) loaders.set(model, loader(model));
    const load = loaders.get(model);
    try {
      return (await load("app.js")).default(load).render({ model, el });
    } catch (error) {
      el.textContent = `The app could not start: ${error.message}`;
      throw error;
    }
  },
};

/**
 * Files that come with a job, and those that it leaves. Their bytes follow the answer, each as a line of base64; the server
 * reads them with `readFiles`.
 */
export const PYTHON_FILES = String.raw`
def place_files(folder):
    import base64
    for file in job.pop("files"):
        path = os.path.join(folder, file["path"])
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as target:
                target.write(base64.b64decode(file["content"]))
        except OSError as error:
            answer({"problem": "no_room", "message": file["path"] + ": " + (error.strerror or str(error))})

def files_in(folder):
    found = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        found += [(os.path.relpath(path, folder), path) for path in (os.path.join(at, name) for name in sorted(names))]
    # Links could lead to files that the code has not written.
    return [(name, path) for name, path in found if os.path.isfile(path) and not os.path.islink(path)]

def contents_of(files):
    import base64
    if len(files) > job["max_files"] or sum(os.path.getsize(path) for _, path in files) > job["max_size"]:
        answer({"problem": "files"})
    contents = []
    for _, path in files:
        with open(path, "rb") as file:
            contents.append(base64.b64encode(file.read()))
    return contents
`;

export const JAVASCRIPT_FILES = String.raw`
function placeFiles(folder) {
  fs.mkdirSync(folder);
  for (const { path, content } of job.files) {
    try {
      fs.writeFileSync(folder + '/' + path, Buffer.from(content, 'base64'));
    } catch (error) {
      answer({ problem: 'no_room', message: path + ': ' + error.message });
    }
  }
  job.files = [];
}
function filesIn(folder, inside = '') {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = inside + entry.name;
    if (entry.isDirectory()) return filesIn(folder + '/' + entry.name, name + '/');
    // Links could lead to files that the code has not written.
    return entry.isFile() ? [{ name, path: folder + '/' + entry.name }] : [];
  });
}
function readContents(files) {
  const size = files.reduce((sum, { path }) => sum + fs.statSync(path).size, 0);
  if (files.length > job.max_files || size > job.max_size) answer({ problem: 'files' });
  return files.map(({ path }) => fs.readFileSync(path, 'base64'));
}
`;

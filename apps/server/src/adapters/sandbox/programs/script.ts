import { BEGIN } from './python.ts';

/**
 * Runs a script of a skill as a separate process, in a folder with the files of the skill. Text goes to its standard input. Answers
 * with its exit code, its standard output and the files that it has left in `_OUTPUT_DIR`; their bytes follow the answer,
 * each as a line of base64.
 */
const SCRIPT = String.raw`
import base64, shutil, stat, subprocess, threading, time
HOME, OUTPUT, SITE = "/tmp/skill", "/tmp/output", "/tmp/site"
REVIEW = "_hitl_request.json"

# Scripts read it as a variable of the environment or as a name that is always there.
NAMES = "import builtins, os\nfor name in ('_OUTPUT_DIR', '_WORKSPACE_DIR'): setattr(builtins, name, os.environ[name])\n"

def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)

def place_files():
    os.makedirs(OUTPUT)
    write(SITE + "/sitecustomize.py", NAMES.encode())
    for file in job["files"]:
        write(os.path.join(HOME, file["path"]), base64.b64decode(file["content"]))

def workspace_size():
    size = 0
    for folder, _, names in os.walk(job["workspace"]):
        for name in names:
            try:
                size += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                # Removed meanwhile.
                pass
    return size

def watch_workspace(process):
    while process.poll() is None and workspace_size() <= job["max_workspace"]:
        time.sleep(0.1)
    process.kill()

def refuse_large_workspace():
    if workspace_size() <= job["max_workspace"]:
        return
    for entry in os.scandir(job["workspace"]):
        shutil.rmtree(entry.path, ignore_errors=True) if entry.is_dir(follow_symlinks=False) else os.remove(entry.path)
    answer({"problem": "workspace"})

def run_script():
    packages = ["/packages/site"] if job["has_packages"] else []
    environment = dict(os.environ, HOME=HOME, _OUTPUT_DIR=OUTPUT, _WORKSPACE_DIR=job["workspace"], PYTHONPATH=":".join([SITE, HOME, *packages]))
    command = [sys.executable, os.path.join(HOME, job["script"])]
    process = subprocess.Popen(command, cwd=HOME, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def feed():
        try:
            process.stdin.write(job["input"].encode("utf-8", "surrogatepass"))
            process.stdin.close()
        except OSError:
            # A script need not read its input.
            pass
    threading.Thread(target=feed, daemon=True).start()
    threading.Thread(target=watch_workspace, args=[process], daemon=True).start()
    printed = process.stdout.read(job["max_printed"] + 1)
    if len(printed) > job["max_printed"]:
        answer({"problem": "prints"})
    return process.wait(), printed.decode("utf-8", "replace")

def left_files():
    found = [(REVIEW, os.path.join(HOME, REVIEW))] if not any(file["path"] == REVIEW for file in job["files"]) else []
    for folder, folders, names in os.walk(OUTPUT):
        folders.sort()
        found += [(os.path.relpath(path, OUTPUT), path) for path in (os.path.join(folder, name) for name in sorted(names))]
    # Links could lead to files that the script has not written.
    return [(name, path) for name, path in found if os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode)]

def serve():
    if job["has_packages"] and not os.path.exists("/packages/complete.json"):
        answer({"problem": "no_packages"})
    if job["has_network"]:
        use_authorities("/tmp")
    try:
        place_files()
    except OSError as error:
        answer({"problem": "no_room", "message": error.strerror or str(error)})
    exit_code, printed = run_script()
    refuse_large_workspace()
    files = left_files() if exit_code == 0 else []
    if len(files) > job["max_files"] or sum(os.path.getsize(path) for _, path in files) > job["max_size"]:
        answer({"problem": "files"})
    contents = []
    for _, path in files:
        with open(path, "rb") as file:
            contents.append(base64.b64encode(file.read()))
    answer({"exit_code": exit_code, "printed": printed, "files": [name for name, _ in files]}, contents)

serve()
`;

export const PYTHON_SCRIPT = BEGIN + SCRIPT;

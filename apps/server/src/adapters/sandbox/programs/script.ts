import { PYTHON_FILES } from './files.ts';
import { KEEP_INPUT, PYTHON_PROXY } from './proxy.ts';
import { BEGIN } from './python.ts';

/**
 * Runs a script of a skill as a separate process, in a folder with the files of the skill. Text goes to its standard input. Answers
 * with its exit code, its standard output and the files that it has left in `_OUTPUT_DIR`. Before that, what it writes are the
 * messages of the connections of the script.
 */
const SCRIPT = String.raw`
import shutil, subprocess, time
HOME, OUTPUT, SITE = "/tmp/skill", "/tmp/output", "/tmp/site"
REVIEW = "_hitl_request.json"
brings_review = any(file["path"] == REVIEW for file in job["files"])

# Scripts read it as a variable of the environment or as a name that is always there.
NAMES = "import builtins, os\nfor name in ('_OUTPUT_DIR', '_WORKSPACE_DIR'): setattr(builtins, name, os.environ[name])\n"

def make_folders():
    os.makedirs(OUTPUT)
    os.makedirs(SITE)
    with open(SITE + "/sitecustomize.py", "w") as file:
        file.write(NAMES)
    place_files(HOME)

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
    environment = dict(os.environ, **start_proxy(), HOME=HOME, _OUTPUT_DIR=OUTPUT, _WORKSPACE_DIR=job["workspace"], PYTHONPATH=":".join([SITE, HOME, *packages]))
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
    review = os.path.join(HOME, REVIEW)
    asks = not brings_review and os.path.isfile(review) and not os.path.islink(review)
    return ([(REVIEW, review)] if asks else []) + files_in(OUTPUT)

def serve():
    if job["has_packages"] and not os.path.exists("/packages/complete.json"):
        answer({"problem": "no_packages"})
    if job["has_network"]:
        use_authorities("/tmp")
    make_folders()
    exit_code, printed = run_script()
    refuse_large_workspace()
    files = left_files() if exit_code == 0 else []
    contents = contents_of(files)
    answer({"exit_code": exit_code, "printed": printed, "files": [name for name, _ in files]}, contents)

serve()
`;

export const PYTHON_SCRIPT = KEEP_INPUT + BEGIN + PYTHON_PROXY + PYTHON_FILES + SCRIPT;

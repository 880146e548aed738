"""Pictures made by Myriad: the gallery of reports, and the figures of the theory pages."""
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import plot

LARGEST_REPORT = 2_000_000  # bytes

# example, settings that make it short, title, what the report shows, name of the plot for the picture, or "projection"
GALLERY = [
    ("plummer", [], "A star cluster", "1024 stars in equilibrium by Hermite block steps, with energy error, Lagrangian radii and a "
     "replay in three dimensions", "projection"),
    ("king_cluster", ["particles.n=1000", "run.end=4 Myr"], "A cluster in a tidal field",
     "Stars of a King model with a mass function and binaries, on an orbit about a galaxy", "projection"),
    ("solar_system", ["run.end=20 yr"], "The solar system", "The Sun and its planets from J2000.0 on", "energy_error"),
    ("figure_eight", [], "The figure eight", "Three bodies that chase each other, ten times around", "projection"),
    ("argon", ["run.end=6 ps"], "Liquid argon", "A crystal that melts, with its order and the pair distribution of the liquid", "order"),
    ("alanine", ["run.end=10 ps", "output.snapshots=1 ps"], "A peptide",
     "Alanine dipeptide in implicit solvent, with the map of its torsions", "temperature"),
    ("vortex_ring", ["particles.n=800", "run.end=2"], "A vortex ring", "A ring with waves that holds its place against a stream, and "
     "tracers in its middle", "projection"),
    ("taylor_green", ["run.end=2"], "Vortices on a mesh", "The Taylor-Green vortex by the spectral method, with spectra, slices and "
     "surfaces", "projection"),
]


# Long runs, whose reports lie in docs/gallery_reports: name, title, what the report shows, command, machine and date
STORED = [
    ("galaxy_collision", "Two galaxies collide", "Disc galaxies with haloes on a parabolic orbit, 8000 bodies over 40 units of time: tails "
     "and a bridge", "myriad run examples/galaxy_collision.yaml\nmyriad report galaxy_collision --size 0.9",
     "made on 2 cores of an AMD EPYC, November 2026, version 0.9.0"),
    ("forced_turbulence", "Turbulence that is kept going", "A periodic cube of 32³ mesh points in which long waves get energy until the viscosity "
     "takes as much: spectra, slices and a steady state", "myriad run examples/forced_turbulence.yaml",
     "made on 2 cores of an AMD EPYC, November 2026, version 0.9.0"),
    ("helix", "A peptide in water", "Ten alanines from an extended strand in generalised Born solvent over 10 ps, with sticks, map of torsions and "
     "terms of the energy", "myriad run examples/helix.yaml --set 'run.end=10 ps'",
     "made on 2 cores of an AMD EPYC, November 2026, version 0.9.0"),
]


def run(command, folder):
    done = subprocess.run(["nice", *map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-600:]}{done.stderr[-2000:]}")
    return done.stdout


def standalone(svg):
    """An SVG of a report as a file of its own: the rules of the page that it uses come along."""
    style = ("<style>text{font:11px sans-serif;fill:#333}.end{text-anchor:end}.middle{text-anchor:middle}.grid,.axis{stroke:#ddd}"
             "path,polyline{fill:none;stroke:#1f77b4;stroke-width:1.5}rect{fill:none}</style>")
    head, rest = svg.split(">", 1)
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', head)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box.group(0)[9:-1]}" width="{box.group(1)}" height="{box.group(2)}"'
    return f'{head}>{style}<rect width="100%" height="100%" style="fill:#fff"/>{rest}\n'


def picture_of(report, wanted, file):
    """Writes a picture that stands in a report: the plot of that name, or the last of its images, along z if there are three."""
    pictures = [svg for svg in re.findall(r"<svg.*?</svg>", report, flags=re.S) if "<image" in svg]
    if wanted == "projection" and pictures:
        found = ([svg for svg in pictures if "onto the xy plane" in svg] or pictures)[-1]
    else:
        plots = dict(re.findall(r'id="plot-(\w+)".*?(<svg viewBox="0 0 3.*?</svg>)', report, flags=re.S))
        found = plots.get(wanted) or next(iter(plots.values()))
    file.write_text(standalone(found))


def stored_reports(source, reports, images):
    """The part of the gallery whose runs take longer than a build."""
    out = ["## Long runs", "", "The reports of these are stored.", ""]
    for name, title, text, command, made in STORED:
        report = source / "docs/gallery_reports" / f"{name}.html"
        if report.stat().st_size > LARGEST_REPORT:
            raise SystemExit(f"the stored report of {name} has {report.stat().st_size} bytes, more than {LARGEST_REPORT}")
        shutil.copy(report, reports / f"{name}.html")
        picture_of(report.read_text(), "projection", images / f"{name}.svg")
        out += [f"### {title}", "", f"{text} ({made}).", "",
                f"```{{image}} images/made/{name}.svg\n:alt: {title}\n:width: 420px\n:target: ../gallery/{name}.html\n```", "",
                f"```sh\n{command}\n```", ""]
    return out


def make_gallery(program, source, quick):
    reports, images = source / "extra/gallery", source / "docs/images/made"
    reports.mkdir(parents=True)
    images.mkdir(parents=True, exist_ok=True)
    out = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "examples", folder, dirs_exist_ok=True)
        for name, settings, title, text, wanted in GALLERY:
            sets = [s for setting in (settings + (["run.steps=3"] if quick else [])) for s in ("--set", setting)]
            run([program, "run", f"{name}.yaml", "--quiet", *sets], folder)
            report = Path(folder, name, "report.html")
            if report.stat().st_size > LARGEST_REPORT:
                raise SystemExit(f"the report of {name} has {report.stat().st_size} bytes, more than {LARGEST_REPORT}")
            shutil.copy(report, reports / f"{name}.html")
            picture_of(report.read_text(), wanted, images / f"{name}.svg")
            shown = " ".join(f"--set '{s}'" for s in settings)
            out += [f"## {title}", "", text + ".", "",
                    f"```{{image}} images/made/{name}.svg\n:alt: {title}\n:width: 420px\n:target: ../gallery/{name}.html\n```", "",
                    f"```sh\nmyriad run examples/{name}.yaml {shown}".rstrip() + "\n```", ""]
    out += stored_reports(source, reports, images)
    page = source / "docs/gallery.md"
    page.write_text(page.read_text().replace("```{gallery-of-reports}\n```\n", "\n".join(out)))


# --- theory ---


def evaluate(program, *options):
    return json.loads(run([program, "eval", "--json", "--quiet", *options], "."))


def accumulators(program, images, quick):
    """Part of the force error that the summation makes, against the number of stars."""
    series = {}
    for name in ("single", "chamomile", "nitadori", "double", "fixed"):
        series[name] = [(n, evaluate(program, "--model", "plummer", "-n", n, "--kernel", "gravity", "--eps", "0.01",
                                     "--accumulator", name, "--splits", 1)["sum_error"])
                        for n in ([256, 512] if quick else [256, 1024, 4096, 16384, 65536])]
    plot.lines(images / "accumulators.svg", "number of stars", "rms error of the sum", series)


def far_fields(program, images, quick):
    """Error of the field against the order of the expansions, and of the spheres of pseudo-particles."""
    series = {}
    for method, orders in (("fmm", range(2, 15, 2)), ("pseudo", range(1, 11))):
        orders = list(orders)[:2] if quick else orders
        series[method] = [(p, evaluate(program, "--model", "plummer", "-n", 2000 if quick else 20000, "--kernel",
                                       "gravity_potential", "--method", method, "--order", p, "--arithmetic", "mixed",
                                       )["far"]["error"]["acceleration"]) for p in orders]
    plot.lines(images / "far_fields.svg", "order", "rms error of the acceleration", series, log_x=False)


def neighbour_lists(program, images, quick):
    """Pairs that are looked at, and those within the cutoff, against the number of particles."""
    series = {"all pairs": [], "looked at": [], "within the cutoff": []}
    for n in ([2048, 4096] if quick else [2048, 8192, 32768, 131072]):
        found = evaluate(program, "--kernel", "sph_density", "--model", "uniform", "-n", n, "--method", "neighbour",
                         "--samples", 0)["near"]
        series["all pairs"].append((n, float(n) * n))
        series["looked at"].append((n, found["pairs_looked_at"]))
        series["within the cutoff"].append((n, found["pairs_within"]))
    plot.lines(images / "neighbour_lists.svg", "number of particles", "pairs", series)


def make(program, source, quick):
    images = source / "docs/images/made"
    images.mkdir(parents=True, exist_ok=True)
    for figure in (accumulators, far_fields, neighbour_lists):
        figure(program, images, quick)
    make_gallery(program, source, quick)

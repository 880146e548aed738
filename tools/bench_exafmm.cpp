// bench_exafmm.cpp - exafmm-t on the points of a file: time of an evaluation and relative L2 errors of potential and
// gradient at sampled points against direct sums in double. Built and called by bench_exafmm.sh.
//
//   bench_exafmm POINTS P NCRIT     POINTS: CSV of Myriad with columns x, y, z, mass
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include "build_tree.h"
#include "build_list.h"
#include "laplace.h"

using exafmm_t::real_t;
typedef exafmm_t::Bodies<real_t> bodies;

static bool read_points(const char *path, bodies &all)
{
    std::ifstream file(path);
    std::string line, name;
    std::vector<int> column(4, -1);
    while (std::getline(file, line) && line[0] == '#')
        ;
    std::stringstream header(line);
    const char *const names[] = {"x", "y", "z", "mass"};
    for (int k = 0; std::getline(header, name, ','); k++)
        for (int n = 0; n < 4; n++)
            if (name == names[n])
                column[n] = k;
    while (std::getline(file, line)) {
        std::stringstream row(line);
        double value[4] = {0, 0, 0, 1};
        for (int k = 0; std::getline(row, name, ','); k++)
            for (int n = 0; n < 4; n++)
                if (column[n] == k)
                    value[n] = std::atof(name.c_str());
        exafmm_t::Body<real_t> b;
        b.ibody = (int)all.size();
        for (int d = 0; d < 3; d++)
            b.X[d] = (real_t)value[d];
        b.q = (real_t)value[3];
        all.push_back(b);
    }
    return column[0] >= 0 && column[1] >= 0 && column[2] >= 0 && !all.empty();
}

// Processor seconds.
static double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Relative L2 errors of potential and gradient, of up to 2000 points.
static void measure(const bodies &all, const std::vector<double> &value, double error[2])
{
    double off[2] = {0, 0}, whole[2] = {0, 0};
    const size_t step = all.size() / 2000 + 1;
    for (size_t i = step / 2; i < all.size(); i += step) {
        double sum[4] = {0, 0, 0, 0};
        for (size_t j = 0; j < all.size(); j++) {
            double dx[3], r2 = 0;
            for (int d = 0; d < 3; d++) {
                dx[d] = (double)all[i].X[d] - (double)all[j].X[d];
                r2 += dx[d] * dx[d];
            }
            if (r2 == 0)
                continue;
            const double inverse = 1 / std::sqrt(r2), q = (double)all[j].q / (4 * M_PI);
            sum[0] += q * inverse;
            for (int d = 0; d < 3; d++)
                sum[1 + d] -= q * dx[d] * inverse * inverse * inverse;
        }
        for (int k = 0; k < 4; k++) {
            off[k > 0] += std::pow(value[4 * i + (size_t)k] - sum[k], 2);
            whole[k > 0] += sum[k] * sum[k];
        }
    }
    for (int k = 0; k < 2; k++)
        error[k] = std::sqrt(off[k] / whole[k]);
}

int main(int count, char **argument)
{
    bodies sources, targets;
    if (count != 4 || !read_points(argument[1], sources)) {
        std::fprintf(stderr, "usage: bench_exafmm POINTS P NCRIT\n");
        return 2;
    }
    const bodies original = sources; // building the tree sorts the others
    targets = sources;
    exafmm_t::LaplaceFmm fmm(std::atoi(argument[2]), std::atoi(argument[3]));
    exafmm_t::NodePtrs<real_t> leafs, nonleafs;
    exafmm_t::init_rel_coord();
    exafmm_t::get_bounds(sources, targets, fmm.x0, fmm.r0);
    fmm.precompute(); // operators for the size of this set; not timed
    const double start = now();
    exafmm_t::get_bounds(sources, targets, fmm.x0, fmm.r0);
    exafmm_t::Nodes<real_t> nodes = exafmm_t::build_tree(sources, targets, leafs, nonleafs, fmm);
    const double built = now();
    exafmm_t::build_list(nodes, fmm);
    fmm.M2L_setup(nonleafs);
    const double listed = now();
    fmm.upward_pass(nodes, leafs, false);
    fmm.downward_pass(nodes, leafs, false);
    const double done = now();
    std::vector<double> value(4 * sources.size());
    for (const exafmm_t::Node<real_t> *leaf : leafs)
        for (size_t j = 0; j < leaf->itrgs.size(); j++)
            for (size_t k = 0; k < 4; k++)
                value[4 * (size_t)leaf->itrgs[j] + k] = (double)leaf->trg_value[4 * j + k];
    double error[2];
    measure(original, value, error);
    std::printf("exafmm-t P %s ncrit %s: seconds %.3f (tree %.3f, lists %.3f, evaluation %.3f), errors: potential %.2g, "
                "gradient %.2g\n",
                argument[2], argument[3], done - start, built - start, listed - built, done - listed, error[0],
                error[1]);
    return 0;
}

/* Storm surge on a coast: the depth-averaged (shallow-water) equations on a C-grid, driven by the wind and the pressure of a cyclone that passes.
 *
 * Units are SI throughout. x runs along the coast, y from the coast (row 0) to the open sea. A cell has its level (eta) in the middle, u on its left
 * edge, v on its lower edge. Forward-backward in time (Mesinger and Arakawa 1976): first the level from the flow, then the flow from the new level.
 * Wind and pressure after Holland (1980), drag after Large and Pond (1981) with an upper bound, bottom friction quadratic and implicit. Advection is left
 * out: for a surge on a shelf it is small beside the rest. The coast is a wall, the other three sides let waves out (Flather 1976).
 *
 * With -DUSE_MPI rows are shared among processes; each sum is made in the same order, so the result is the same to the last bit.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef USE_MPI
#include <mpi.h>
#endif

#define GRAVITY 9.81
#define WATER 1025.0
#define AIR 1.15
#define CORIOLIS 6.5e-5   /* at 26.5 degrees north, 1/s */
#define FRICTION 2.5e-3   /* of the bottom */
#define AMBIENT 101300.0  /* Pa */
#define MOST_CELLS 4000

struct run {
    int nx, ny;           /* cells along and off the coast */
    double size;          /* of a cell, m */
    double hours;
    double shelf, deep;   /* depth at the coast and at the open sea, m */
    double drop, radius;  /* of the cyclone: central pressure drop, Pa; radius of the strongest wind, m */
    double landfall;      /* where it crosses the coast, as a part of the coast's length */
    double speed;         /* of its travel, m/s */
    double wind;          /* verify: a steady wind towards the coast in place of the cyclone, m/s */
    int closed;           /* verify: all sides are walls */
    int first, last;      /* rows of this process: first <= j < last */
};

static int rank, ranks = 1;

static void stop(const char *what)
{
    if (rank == 0)
        fprintf(stderr, "surge: %s\n", what);
#ifdef USE_MPI
    MPI_Abort(MPI_COMM_WORLD, 2);
#endif
    exit(2);
}

static double *field(const struct run *r)
{
    double *made = calloc((size_t)(r->nx + 1) * (size_t)(r->ny + 1), sizeof *made);
    if (!made)
        stop("there is not enough memory: ask for more, or take fewer cells");
    return made;
}

#define AT(f, i, j) ((f)[(size_t)(j) * (size_t)(r->nx + 1) + (size_t)(i)])

static double depth(const struct run *r, int j)
{
    return r->shelf + (r->deep - r->shelf) * (j + 0.5) / r->ny;
}

/* Neighbours' rows beside those of this process. */
static void exchange(const struct run *r, double *f)
{
#ifdef USE_MPI
    int below = rank ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, n = r->nx + 1;
    MPI_Sendrecv(&AT(f, 0, r->last - 1), n, MPI_DOUBLE, above, 0, &AT(f, 0, r->first ? r->first - 1 : 0), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&AT(f, 0, r->first), n, MPI_DOUBLE, below, 1, &AT(f, 0, r->last), n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    (void)r, (void)f;
#endif
}

/* Wind stress (N/m2) and pressure (Pa) at a place and a time. */
static void weather(const struct run *r, double x, double y, double t, double *tx, double *ty, double *pressure)
{
    double wx = 0, wy = -r->wind;
    *pressure = AMBIENT;
    if (r->wind == 0) {
        double length = r->nx * r->size, start = r->hours * 3600 * 0.65 * r->speed; /* off the coast, so that landfall is at 65 % of the time */
        double dx = x - r->landfall * length, dy = y - (start - r->speed * t), far = hypot(dx, dy) + 1, b = 1.4;
        double shape = pow(r->radius / far, b), gradient = b * r->drop / AIR * shape * exp(-shape), turn = 0.5 * CORIOLIS * far;
        double blow = 0.85 * (sqrt(gradient + turn * turn) - turn); /* at 10 m */
        double inflow = 0.35;                                     /* radians */
        /* Counterclockwise around the centre, turned inwards; and the travel of the cyclone, which dies away with the distance. */
        wx = blow * (-dy * cos(inflow) - dx * sin(inflow)) / far;
        wy = blow * (dx * cos(inflow) - dy * sin(inflow)) / far - r->speed * exp(-far / (10 * r->radius));
        *pressure = AMBIENT - r->drop * (1 - exp(-shape));
    }
    double wind = hypot(wx, wy), drag = 1e-3 * fmin(fmax(0.49 + 0.065 * wind, 1.2), 2.4);
    *tx = AIR * drag * wind * wx;
    *ty = AIR * drag * wind * wy;
}

/* The flow out of an open side (Flather 1976). */
static double pass(double level, double h, double outwards)
{
    return outwards * level * sqrt(GRAVITY / h);
}

/* One step; eta, u and v are those of the next time. */
static void step(const struct run *r, double t, double dt, double *eta, double *u, double *v, double *nu, double *nv, double *p, double *sx, double *sy)
{
    int nx = r->nx, ny = r->ny;
    exchange(r, v);
    for (int j = r->first; j < r->last; j++) {
        double h = depth(r, j), hs = j ? 0.5 * (h + depth(r, j - 1)) : h, hn = j + 1 < ny ? 0.5 * (h + depth(r, j + 1)) : h;
        for (int i = 0; i < nx; i++)
            AT(eta, i, j) -= dt / r->size * (h * (AT(u, i + 1, j) - AT(u, i, j)) + hn * AT(v, i, j + 1) - hs * AT(v, i, j));
        for (int i = 0; i < nx; i++)
            weather(r, (i + 0.5) * r->size, (j + 0.5) * r->size, t, &AT(sx, i, j), &AT(sy, i, j), &AT(p, i, j));
    }
    exchange(r, eta);
    exchange(r, p);
    exchange(r, sy);
    exchange(r, u);
    for (int j = r->first; j < r->last; j++) {
        double h = depth(r, j), hs = j ? 0.5 * (h + depth(r, j - 1)) : h;
        for (int i = 0; i <= nx; i++) {
            if (i == 0 || i == nx) {
                AT(nu, i, j) = r->closed ? 0 : pass(AT(eta, i ? nx - 1 : 0, j), h, i ? 1 : -1);
                continue;
            }
            double across = 0.25 * (AT(v, i, j) + AT(v, i - 1, j) + AT(v, i, j + 1) + AT(v, i - 1, j + 1));
            double force = -GRAVITY * (AT(eta, i, j) - AT(eta, i - 1, j)) / r->size - (AT(p, i, j) - AT(p, i - 1, j)) / (WATER * r->size) +
                           0.5 * (AT(sx, i, j) + AT(sx, i - 1, j)) / (WATER * h) + (r->closed ? 0 : CORIOLIS * across);
            AT(nu, i, j) = (AT(u, i, j) + dt * force) / (1 + dt * FRICTION * hypot(AT(u, i, j), across) / h);
        }
        for (int i = 0; i < nx; i++) {
            if (j == 0) {
                AT(nv, i, j) = 0; /* the coast */
                continue;
            }
            double across = 0.25 * (AT(u, i, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i + 1, j - 1));
            double force = -GRAVITY * (AT(eta, i, j) - AT(eta, i, j - 1)) / r->size - (AT(p, i, j) - AT(p, i, j - 1)) / (WATER * r->size) +
                           0.5 * (AT(sy, i, j) + AT(sy, i, j - 1)) / (WATER * hs) - (r->closed ? 0 : CORIOLIS * across);
            AT(nv, i, j) = (AT(v, i, j) + dt * force) / (1 + dt * FRICTION * hypot(AT(v, i, j), across) / hs);
        }
    }
    if (r->last == ny)
        for (int i = 0; i < nx; i++)
            AT(nv, i, ny) = r->closed ? 0 : pass(AT(eta, i, ny - 1) - (AMBIENT - AT(p, i, ny - 1)) / (WATER * GRAVITY), depth(r, ny - 1), 1);
    for (int j = r->first; j <= r->last && j <= ny; j++) {
        if (j == r->last && r->last != ny)
            break;
        if (j < r->last)
            memcpy(&AT(u, 0, j), &AT(nu, 0, j), (size_t)(nx + 1) * sizeof *u);
        memcpy(&AT(v, 0, j), &AT(nv, 0, j), (size_t)(nx + 1) * sizeof *v);
    }
}

/* Plays the run; `highest` gets the highest level at each cell of the coast, m. Returns the mean level at its middle over the second half of the time, m. */
static double play(struct run *r, double *highest)
{
    double *eta = field(r), *u = field(r), *v = field(r), *nu = field(r), *nv = field(r), *p = field(r), *sx = field(r), *sy = field(r);
    double dt = 0.5 * r->size / sqrt(2 * GRAVITY * fmax(r->deep, r->shelf)), end = r->hours * 3600;
    r->first = r->ny * rank / ranks;
    r->last = r->ny * (rank + 1) / ranks;
    if (r->last - r->first < 2)
        stop("each process needs two rows at least: take fewer processes");
    double sum = 0, steps = 0;
    for (double t = 0; t < end; t += dt) {
        step(r, t, dt, eta, u, v, nu, nv, p, sx, sy);
        for (int i = 0; i < r->nx; i++)
            highest[i] = fmax(highest[i], AT(eta, i, 0));
        if (t >= end / 2)
            sum += AT(eta, r->nx / 2, 0), steps++;
    }
    double level = sum / steps;
    free(eta), free(u), free(v), free(nu), free(nv), free(p), free(sx), free(sy);
    if (!isfinite(level))
        stop("the run blew up: no level is a number. Are the options of this world?");
    return level;
}

/* A steady wind over a closed basin of one depth piles water up: stress / (density * g * depth) for each metre. Half of it stands at the coast. */
static int verify(void)
{
    struct run r = {.nx = 4, .ny = 50, .size = 2000, .hours = 200, .shelf = 20, .deep = 20, .wind = 10, .closed = 1};
    double highest[4] = {0}, level = play(&r, highest), stress = AIR * 1.2e-3 * 100, wanted = 0.5 * r.ny * r.size * stress / (WATER * GRAVITY * 20);
    /* The coast's cell has its level half a cell off the coast. */
    wanted *= 1 - 1.0 / r.ny;
    if (rank == 0)
        printf("set-up of a steady wind: %.4f m, by the formula %.4f m, ratio %.4f\n", level, wanted, level / wanted);
    return fabs(level / wanted - 1) > 0.02;
}

static double number(const char *word, const char *text, double low, double high)
{
    char *end, said[160];
    errno = 0;
    double value = text ? strtod(text, &end) : 0;
    if (!text || errno || end == text || *end || !(value >= low && value <= high)) {
        snprintf(said, sizeof said, "%s wants a number from %g to %g", word, low, high);
        stop(said);
    }
    return value;
}

static const char *usage =
    "usage: surge [--verify] [--drop HPA] [--radius KM] [--landfall PART] [--speed M/S] [--hours H] [--cells N] [--name NAME]\n"
    "Prints, for each kilometre of a coast of 400 km, the highest level of the water (m) while a cyclone passes, as lines NAME,KM,LEVEL.";

int main(int count, char **words)
{
    struct run r = {.nx = 200, .ny = 100, .hours = 30, .shelf = 4, .deep = 80, .drop = 6000, .radius = 40e3, .landfall = 0.5, .speed = 6};
    const char *name = "surge";
    int result = 0, verified = 0;
#ifdef USE_MPI
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
    for (int i = 1; i < count; i += 2) {
        const char *word = words[i], *text = words[i + 1];
        if (!strcmp(word, "--verify")) verified = 1, i--;
        else if (!strcmp(word, "--drop")) r.drop = 100 * number(word, text, 0, 150);
        else if (!strcmp(word, "--radius")) r.radius = 1000 * number(word, text, 5, 200);
        else if (!strcmp(word, "--landfall")) r.landfall = number(word, text, 0, 1);
        else if (!strcmp(word, "--speed")) r.speed = number(word, text, 1, 20);
        else if (!strcmp(word, "--hours")) r.hours = number(word, text, 1, 240);
        else if (!strcmp(word, "--cells")) r.nx = 2 * ((int)number(word, text, 20, MOST_CELLS) / 2), r.ny = r.nx / 2;
        else if (!strcmp(word, "--name") && text) name = text;
        else stop(usage);
    }
    if (verified) {
        result = verify();
    } else {
        r.size = 400e3 / r.nx;
        double *highest = field(&r);
        play(&r, highest);
        if (rank == 0)
            for (int i = 0; i < r.nx; i++)
                printf("%s,%.1f,%.3f\n", name, (i + 0.5) * r.size / 1000, highest[i]);
        free(highest);
    }
#ifdef USE_MPI
    MPI_Finalize();
#endif
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "surge: the result cannot be written: %s\n", strerror(errno));
        return 1;
    }
    return result;
}

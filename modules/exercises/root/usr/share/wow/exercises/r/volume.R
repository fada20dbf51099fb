# Estimates by Monte Carlo the volume of a solid: the points of the unit cube that lie in every ball of a file, as integrate of the tutorial does.
# usage: Rscript --vanilla volume.R BALLS SEED SAMPLES      prints SAMPLES,SEED,VOLUME
given <- commandArgs(trailingOnly = TRUE)
numbers <- suppressWarnings(as.numeric(given[-1]))
if (length(given) != 3 || anyNA(numbers) || numbers[2] < 1) {
    stop("usage: Rscript --vanilla volume.R BALLS SEED SAMPLES", call. = FALSE)
}
if (!file.exists(given[1])) {
    stop(given[1], ": no such file; is it in transfer_input_files?", call. = FALSE)
}
balls <- read.table(given[1], col.names = c("x", "y", "z", "radius"))
seed <- numbers[1]
samples <- numbers[2]

# So many points at once, so that a large job needs no more memory than a small one.
AT_ONCE <- 100000

set.seed(seed)
hits <- 0
left <- samples
while (left > 0) {
    count <- min(left, AT_ONCE)
    x <- runif(count)
    y <- runif(count)
    z <- runif(count)
    inside <- rep(TRUE, count)
    for (one in seq_len(nrow(balls))) {
        ball <- balls[one, ]
        inside <- inside & (x - ball$x)^2 + (y - ball$y)^2 + (z - ball$z)^2 <= ball$radius^2
    }
    hits <- hits + sum(inside)
    left <- left - count
}
cat(sprintf("%.0f,%.0f,%.6f\n", samples, seed, hits / samples))

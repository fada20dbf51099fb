# Says how fast the estimates come to the answer, and draws it. usage: Rscript --vanilla plot.R FILE.csv...      writes volume.svg
files <- commandArgs(trailingOnly = TRUE)
if (length(files) == 0) {
    stop("name the files that volume.R wrote: Rscript --vanilla plot.R volume.*.csv", call. = FALSE)
}
read <- function(file) {
    if (!file.exists(file) || file.size(file) == 0) {
        stop(file, ": is not there or empty; have all jobs ended? wow jobs", call. = FALSE)
    }
    one <- read.csv(file, header = FALSE)
    if (ncol(one) != 3 || !all(sapply(one, is.numeric))) {
        stop(file, ": is not SAMPLES,SEED,VOLUME; give what volume.R printed", call. = FALSE)
    }
    setNames(one, c("samples", "seed", "volume"))
}
all <- do.call(rbind, lapply(files, read))

# The best that is known: each estimate counts by its points.
best <- weighted.mean(all$volume, all$samples)
sizes <- sort(unique(all$samples))
miss <- sapply(sizes, function(size) sqrt(mean((all$volume[all$samples == size] - best)^2)))
cat(sprintf("%9s %9s\n", "points", "misses by"))
cat(sprintf("%9.0f %9.5f\n", sizes, miss), sep = "")
cat(sprintf("volume: %.5f\n", best))
# Of the theory: half a digit for each digit of work.
if (length(sizes) > 1) {
    cat(sprintf("speed: the error goes with the number of points to the power of %.2f; chance has -0.50\n", coef(lm(log(miss) ~ log(sizes)))[2]))
}

svg("volume.svg", width = 8, height = 5)
error <- pmax(abs(all$volume - best), 1e-6)
plot(all$samples, error, ylim = c(min(error), 3 * max(error)), log = "xy", pch = 20, col = "#0072b2", xlab = "points of a job", ylab = "error of its estimate",
     main = "How fast chance comes to the answer")
expected <- sqrt(best * (1 - best) / sizes)
lines(sizes, expected, col = "#d55e00", lwd = 2)
points(sizes, miss, pch = 4, lwd = 2)
legend("topright", bty = "n", pch = c(20, 4, NA), lty = c(NA, NA, 1), lwd = c(NA, 2, 2), col = c("#0072b2", "black", "#d55e00"),
       legend = c("each job", "all jobs of so many points", "what theory says"))
invisible(dev.off())
cat("picture: volume.svg\n")

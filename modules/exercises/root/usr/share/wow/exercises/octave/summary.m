% Says where half of the common part is left, and draws how it shrinks. usage: octave-cli --norc summary.m FILE.csv...      writes overlap.svg
1;

function stop(varargin)
  fprintf(stderr, ["summary: " varargin{1} "\n"], varargin{2:end});
  exit(1);
end

function all = read(files)
  all = [];
  for one = 1:numel(files)
    [file, why] = fopen(files{one});
    if file < 0
      stop("%s: %s; have all jobs ended? wow jobs", files{one}, why);
    end
    [row, count] = fscanf(file, "%f,%f");
    fclose(file);
    if count != 2
      stop("%s: is not MOVE,VOLUME; give what overlap.m printed", files{one});
    end
    all(end + 1, :) = row';
  end
end

function draw(all, smooth, half)
  [wide, high, left, top] = deal(800, 420, 70, 50);
  at = @(points) sprintf("%.1f,%.1f ", [left + wide * points(:, 1) / all(end, 1), top + high * (1 - points(:, 2) / all(1, 2))]');
  file = fopen("overlap.svg", "w");
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"14\">\n", wide + left + 40, high + top + 60);
  fprintf(file, "<title>Common part of three balls, one of which moves away</title><rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  fprintf(file, "<path d=\"M%d %dv%dh%d\" fill=\"none\" stroke=\"#888\"/>\n", left, top, high, wide);
  for part = 0:4
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.2f</text>", left + wide * part / 4, top + high + 22, all(end, 1) * part / 4);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.2f</text>\n", left - 8, top + high * (1 - part / 4) + 5, all(1, 2) * part / 4);
  end
  fprintf(file, "<polyline fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" points=\"%s\"/>\n", at(smooth));
  for one = 1:rows(all)
    place = sscanf(at(all(one, :)), "%f,%f");
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#0072b2\"/>\n", place);
  end
  if !isnan(half)
    place = sscanf(at([half, all(1, 2) / 2]), "%f,%f");
    fprintf(file, "<path d=\"M%d %.1fH%.1fV%d\" fill=\"none\" stroke=\"#d55e00\"/>\n", left, place(2), place(1), top + high);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#d55e00\">half of it at %.3f</text>\n", place(1) + 8, place(2) - 8, half);
  end
  fprintf(file, "<text x=\"%d\" y=\"%d\" font-size=\"18\">Common part of three balls, the first of which moves away</text></svg>\n", left, top - 20);
  fclose(file);
end

files = argv();
if numel(files) < 3
  stop("give three files or more that overlap.m wrote: octave-cli --norc summary.m overlap.*.csv");
end
all = sortrows(read(files));
if any(diff(all(:, 1)) == 0)
  stop("two files are of one move; take away old ones");
end
printf("%6s %9s\n", "move", "volume");
printf("%6.3f %9.6f\n", all');
left = @(move) interp1(all(:, 1), all(:, 2), move, "pchip") - all(1, 2) / 2;
half = NaN;
if left(all(end, 1)) < 0
  half = fzero(left, all([1, end], 1)');
  printf("half of it is left where the ball has moved by %.3f\n", half);
else
  printf("more than half of it is left everywhere\n");
end
places = linspace(all(1, 1), all(end, 1), 200)';
draw(all, [places, interp1(all(:, 1), all(:, 2), places, "pchip")], half);
printf("picture: overlap.svg\n");

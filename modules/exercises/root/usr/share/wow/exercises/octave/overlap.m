% The volume that the balls of a file have in common inside the unit cube, with the first ball moved along x: by midpoints of a grid, without chance.
% usage: octave-cli --norc overlap.m BALLS MOVE CELLS      prints MOVE,VOLUME
1;

function usage()
  fprintf(stderr, "usage: octave-cli --norc overlap.m BALLS MOVE CELLS\n");
  exit(2);
end

given = argv();
if numel(given) != 3
  usage();
end
move = str2double(given{2});
cells = str2double(given{3});
if isnan(move) || isnan(cells) || cells < 2 || cells != fix(cells)
  usage();
end
if exist(given{1}, "file") != 2
  fprintf(stderr, "overlap: %s: no such file; is it in transfer_input_files?\n", given{1});
  exit(2);
end
file = fopen(given{1});
balls = cell2mat(textscan(file, "%f %f %f %f", "CommentStyle", "#"));
fclose(file);
balls(1, 1) -= move;

middle = ((1:cells) - 0.5) / cells;
[x, y] = meshgrid(middle, middle);
hits = 0;
% A slice at a time: of the whole grid a job would need much memory.
for z = middle
  inside = true(cells);
  for one = 1:rows(balls)
    inside &= (x - balls(one, 1)).^2 + (y - balls(one, 2)).^2 + (z - balls(one, 3)).^2 <= balls(one, 4)^2;
  end
  hits += nnz(inside);
end
printf("%.3f,%.6f\n", move, hits / cells^3);

package io.berth.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A bar chart in SVG, with groups of bars that contain the same series. */
final class BarPlot {
  private static final double GAP = 0.3;

  private record Series(String name, List<Double> values) {}

  private final String title;
  private final String yAxis;
  private final List<String> groups;
  private final List<Series> series = new ArrayList<>();

  BarPlot(String title, String yAxis, List<String> groups) {
    this.title = title;
    this.yAxis = yAxis;
    this.groups = List.copyOf(groups);
  }

  /** Adds a series with one value for each group. */
  BarPlot series(String name, List<Double> values) {
    if (values.size() != groups.size()) {
      throw new IllegalArgumentException(name + " has " + values.size() + " values: " + groups);
    }
    series.add(new Series(name, List.copyOf(values)));
    return this;
  }

  /** Returns the drawing; the bars start at 0. */
  String svg() {
    Drawing drawing = new Drawing(title, "", yAxis);
    double max = Double.MIN_NORMAL;
    for (Series one : series) {
      for (double value : one.values()) {
        max = Math.max(max, value);
      }
    }
    double groupWidth =
        (double) (Drawing.WIDTH - Drawing.LEFT - Drawing.RIGHT) / Math.max(1, groups.size());
    double barWidth = groupWidth * (1 - GAP) / Math.max(1, series.size());
    double bottom = Drawing.HEIGHT - Drawing.BOTTOM;
    // Leaves room for the number above the highest bar.
    double scale = (bottom - Drawing.TOP - 60) / max;
    drawing.line(Drawing.LEFT, bottom, Drawing.WIDTH - Drawing.RIGHT, bottom);
    for (int group = 0; group < groups.size(); group++) {
      double left = Drawing.LEFT + groupWidth * (group + GAP / 2);
      for (int i = 0; i < series.size(); i++) {
        double value = series.get(i).values().get(group);
        double top = bottom - value * scale;
        double x = left + i * barWidth;
        drawing.rectangle(x, top, barWidth - 2, bottom - top, Drawing.color(i));
        drawing.text(
            x + barWidth / 2, top - 5, "middle", String.format(Locale.ROOT, "%.1f", value));
      }
      drawing.text(
          Drawing.LEFT + groupWidth * (group + 0.5), bottom + 18, "middle", groups.get(group));
    }
    for (int i = 0; i < series.size(); i++) {
      drawing.key(i, Drawing.WIDTH - 260, Drawing.TOP + 14 + 16.0 * i, series.get(i).name());
    }
    return drawing.svg();
  }
}

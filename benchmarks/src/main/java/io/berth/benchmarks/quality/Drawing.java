package io.berth.benchmarks.quality;

import io.berth.benchmarks.svg.SvgDocument;
import java.util.List;

/** An SVG drawing with the frame of a plot and the shapes from which plots are built. */
final class Drawing {
  static final int WIDTH = 720;
  static final int HEIGHT = 360;
  static final int LEFT = 60;
  static final int RIGHT = 20;
  static final int TOP = 50;
  static final int BOTTOM = 50;
  private static final List<String> COLORS = List.of("#c0392b", "#2471a3", "#1e8449", "#7d3c98");

  private final SvgDocument svg;

  /** Creates a drawing with a title and the names of its axes. */
  Drawing(String title, String xAxis, String yAxis) {
    svg =
        SvgDocument.ofSize(WIDTH, HEIGHT)
            .with("font-family", "sans-serif")
            .with("font-size", 12)
            .begin();
    svg.element("rect").with("width", "100%").with("height", "100%").with("fill", "white").end();
    text(WIDTH / 2.0, 20, "middle", title);
    text(WIDTH / 2.0, HEIGHT - 10, "middle", xAxis);
    text(LEFT, TOP - 8, "middle", yAxis);
  }

  /** Returns the color of a series by its number, from 0. */
  static String color(int series) {
    return COLORS.get(series % COLORS.size());
  }

  /** Adds a grid line. */
  void line(double x1, double y1, double x2, double y2) {
    svg.element("line")
        .with("x1", x1)
        .with("y1", y1)
        .with("x2", x2)
        .with("y2", y2)
        .with("stroke", "#ddd")
        .end();
  }

  void rectangle(double x, double y, double width, double height, String color) {
    svg.element("rect")
        .with("x", x)
        .with("y", y)
        .with("width", width)
        .with("height", height)
        .with("fill", color)
        .end();
  }

  /** Adds the curve of a series. From the third on, curves are dashed, so as not to hide others. */
  void curve(int series, String points) {
    SvgDocument.Element curve =
        svg.element("polyline")
            .with("fill", "none")
            .with("stroke-width", 2)
            .with("stroke", color(series));
    if (series >= 2) {
      curve.with("stroke-dasharray", "6 4");
    }
    curve.with("points", points).end();
  }

  /** Adds a legend entry: the name of a series next to its color. */
  void key(int series, double x, double y, String name) {
    rectangle(x, y - 6, 14, 4, color(series));
    text(x + 20, y, "start", name);
  }

  void text(double x, double y, String anchor, String text) {
    svg.element("text").with("x", x).with("y", y).with("text-anchor", anchor).end(text);
  }

  /** Returns the complete SVG document. */
  String svg() {
    return svg.done();
  }
}

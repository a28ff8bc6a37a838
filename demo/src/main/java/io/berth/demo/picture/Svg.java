package io.berth.demo.picture;

import io.berth.benchmarks.svg.SvgDocument;

/** A picture in SVG with rectangles and text. Coordinates and sizes are in pixels. */
final class Svg {
  private static final int HALF_BOLD = 600;

  private final SvgDocument out;

  Svg(int width, int height, String title) {
    out =
        SvgDocument.ofSize(width, height)
            .with("width", width)
            .with("height", height)
            .with("role", "img")
            .begin();
    out.element("title").end(title);
    out.element("style")
        .end(
            "text { font-family: ui-sans-serif, system-ui, \"Segoe UI\", Helvetica, Arial,"
                + " sans-serif; }");
    box(0, 0, width, height, "#ffffff", "#d0d7de");
  }

  /** Draws a rectangle with rounded corners. */
  void box(double x, double y, double width, double height, String fill, String stroke) {
    out.element("rect")
        .with("x", x + 0.5)
        .with("y", y + 0.5)
        .with("width", Math.max(width - 1, 0))
        .with("height", Math.max(height - 1, 0))
        .with("rx", 3)
        .with("fill", fill)
        .with("stroke", stroke)
        .end();
  }

  /** Writes a line of text whose baseline starts at the given point. */
  void text(double x, double y, int size, String fill, String text) {
    text(x, y, size, 400, fill, text);
  }

  /** Writes a line of text in semi-bold. */
  void heading(double x, double y, int size, String fill, String text) {
    text(x, y, size, HALF_BOLD, fill, text);
  }

  private void text(double x, double y, int size, int weight, String fill, String text) {
    out.element("text")
        .with("x", x)
        .with("y", y)
        .with("font-size", size)
        .with("font-weight", weight)
        .with("fill", fill)
        .end(text);
  }

  /** Returns the complete document. */
  String done() {
    return out.done();
  }
}

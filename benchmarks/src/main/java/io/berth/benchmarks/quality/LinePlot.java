package io.berth.benchmarks.quality;

import io.berth.benchmarks.svg.SvgDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A line chart in SVG. */
final class LinePlot {
  private static final int TICKS = 5;

  /** A point of a curve. */
  record Point(double x, double y) {}

  private record Curve(String name, List<Point> points) {}

  /** The position of the legend in the drawing. */
  enum Key {
    TOP_LEFT(Drawing.LEFT + 20, Drawing.TOP + 14),
    TOP_RIGHT(Drawing.WIDTH - 260, Drawing.TOP + 14),
    BOTTOM_LEFT(Drawing.LEFT + 20, Drawing.HEIGHT - Drawing.BOTTOM - 70);

    private final int x;
    private final int y;

    Key(int x, int y) {
      this.x = x;
      this.y = y;
    }
  }

  private final String title;
  private final String xAxis;
  private final String yAxis;
  private final List<Curve> curves = new ArrayList<>();
  private Key key = Key.TOP_RIGHT;
  private Point origin = new Point(0, 0);
  private Point end = new Point(1, 1);

  LinePlot(String title, String xAxis, String yAxis) {
    this.title = title;
    this.xAxis = xAxis;
    this.yAxis = yAxis;
  }

  LinePlot key(Key corner) {
    this.key = corner;
    return this;
  }

  /** Starts the axes at this point instead of at 0; points below it are not drawn. */
  LinePlot from(double x, double y) {
    this.origin = new Point(x, y);
    return this;
  }

  LinePlot curve(String name, List<Point> points) {
    curves.add(new Curve(name, points));
    return this;
  }

  /** Returns the drawing. */
  String svg() {
    measure();
    Drawing drawing = new Drawing(title, xAxis, yAxis);
    for (int i = 0; i <= TICKS; i++) {
      double y = origin.y() + (end.y() - origin.y()) * i / TICKS;
      drawing.line(Drawing.LEFT, y(y), Drawing.WIDTH - Drawing.RIGHT, y(y));
      drawing.text(Drawing.LEFT - 8, y(y) + 4, "end", number(y));
      double x = origin.x() + (end.x() - origin.x()) * i / TICKS;
      drawing.text(x(x), Drawing.HEIGHT - Drawing.BOTTOM + 18, "middle", number(x));
    }
    for (int i = 0; i < curves.size(); i++) {
      draw(drawing, i);
    }
    return drawing.svg();
  }

  private void measure() {
    double maxX = origin.x() + 1;
    double maxY = origin.y() + 1;
    for (Curve curve : curves) {
      for (Point point : curve.points()) {
        maxX = Math.max(maxX, point.x());
        maxY = Math.max(maxY, point.y());
      }
    }
    end = new Point(maxX, origin.y() + TICKS * Math.ceil((maxY - origin.y()) / TICKS));
  }

  private void draw(Drawing drawing, int number) {
    Curve curve = curves.get(number);
    StringBuilder points = new StringBuilder();
    for (Point point : curve.points()) {
      if (point.x() >= origin.x() && point.y() >= origin.y()) {
        points
            .append(SvgDocument.number(x(point.x())))
            .append(',')
            .append(SvgDocument.number(y(point.y())))
            .append(' ');
      }
    }
    drawing.curve(number, points.toString());
    drawing.key(number, key.x, key.y + 16.0 * number, curve.name());
  }

  private double x(double value) {
    return Drawing.LEFT
        + (value - origin.x())
            / (end.x() - origin.x())
            * (Drawing.WIDTH - Drawing.LEFT - Drawing.RIGHT);
  }

  private double y(double value) {
    return Drawing.HEIGHT
        - Drawing.BOTTOM
        - (value - origin.y())
            / (end.y() - origin.y())
            * (Drawing.HEIGHT - Drawing.TOP - Drawing.BOTTOM);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}

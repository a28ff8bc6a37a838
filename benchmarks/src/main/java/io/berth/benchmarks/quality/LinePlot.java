package io.berth.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Curves over one axis, drawn as SVG. */
final class LinePlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 360;
  private static final int LEFT = 60;
  private static final int RIGHT = 20;
  private static final int TOP = 50;
  private static final int BOTTOM = 50;
  private static final List<String> COLORS = List.of("#c0392b", "#2471a3", "#1e8449", "#7d3c98");

  /** A point of a curve. */
  record Point(double x, double y) {}

  private record Curve(String name, List<Point> points) {}

  private final String title;
  private final String xAxis;
  private final String yAxis;
  private final List<Curve> curves = new ArrayList<>();

  LinePlot(String title, String xAxis, String yAxis) {
    this.title = title;
    this.xAxis = xAxis;
    this.yAxis = yAxis;
  }

  LinePlot curve(String name, List<Point> points) {
    curves.add(new Curve(name, points));
    return this;
  }

  /** The drawing; the axes begin at 0. */
  String svg() {
    double maxX = 1;
    double maxY = 1;
    for (Curve curve : curves) {
      for (Point point : curve.points()) {
        maxX = Math.max(maxX, point.x());
        maxY = Math.max(maxY, point.y());
      }
    }
    maxY = 5 * Math.ceil(maxY / 5);
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        """
            .formatted(WIDTH, HEIGHT));
    text(svg, WIDTH / 2.0, 20, "middle", title);
    text(svg, WIDTH / 2.0, HEIGHT - 10, "middle", xAxis);
    text(svg, LEFT, TOP - 8, "middle", yAxis);
    for (int i = 0; i <= 5; i++) {
      double y = y(maxY * i / 5, maxY);
      line(svg, LEFT, y, WIDTH - RIGHT, y);
      text(svg, LEFT - 8, y + 4, "end", number(maxY * i / 5));
      double x = x(maxX * i / 5, maxX);
      text(svg, x, HEIGHT - BOTTOM + 18, "middle", number(maxX * i / 5));
    }
    for (int i = 0; i < curves.size(); i++) {
      draw(svg, i, maxX, maxY);
    }
    return svg.append("</svg>\n").toString();
  }

  private void draw(StringBuilder svg, int number, double maxX, double maxY) {
    String color = COLORS.get(number % COLORS.size());
    Curve curve = curves.get(number);
    svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"").append(color);
    svg.append("\" points=\"");
    for (Point point : curve.points()) {
      svg.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(point.x(), maxX), y(point.y(), maxY)));
    }
    svg.append("\"/>\n");
    double at = TOP + 14 + 16.0 * number;
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>%n",
            WIDTH - 260,
            at - 6,
            color));
    text(svg, WIDTH - 240, at, "start", curve.name());
  }

  private static double x(double value, double max) {
    return LEFT + value / max * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double value, double max) {
    return HEIGHT - BOTTOM - value / max * (HEIGHT - TOP - BOTTOM);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
            x1,
            y1,
            x2,
            y2));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor));
    svg.append(text.replace("&", "&amp;").replace("<", "&lt;")).append("</text>\n");
  }
}

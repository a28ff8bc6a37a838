package io.berth.benchmarks.webhook;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** Runs only the webhook workload, and prints the figures as a line of text and a line of JSON. */
public final class WebhookMain {
  private WebhookMain() {}

  /**
   * Runs the workload with the default load.
   *
   * @param args ignored
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    WebhookFigures figures = WebhookWorkload.run(WebhookLoad.usual());
    System.out.println(figures.line());
    System.out.println(new ObjectMapper().writeValueAsString(figures.fields()));
  }
}

package io.berth.benchmarks.webhook;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** Runs the webhook workload alone, and prints a line for people and one of JSON. */
public final class WebhookMain {
  private WebhookMain() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws IOException, InterruptedException {
    WebhookFigures figures = WebhookWorkload.run(WebhookLoad.usual());
    System.out.println(figures.line());
    System.out.println(new ObjectMapper().writeValueAsString(figures.fields()));
  }
}

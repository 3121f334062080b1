package dev.muster.message.flow;

import dev.muster.message.flow.ModelCommand.Behavior;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Generates random commands, the same ones for the same seed. */
final class CommandGenerator {

  private static final List<Integer> PRIORITIES = List.of(50, 50, 50, 100, 10);
  private static final List<Integer> ACTIVE_TASKS = List.of(0, 0, 0, 0, 1, 2);
  private static final List<String> REPORTS = List.of("in_progress", "completed", "failed");
  private static final int NUMBERS = 1000;

  private final SplittableRandom random;

  private CommandGenerator(long seed) {
    this.random = new SplittableRandom(seed);
  }

  static List<ModelCommand> commands(long seed, int count) {
    CommandGenerator generator = new CommandGenerator(seed);
    List<ModelCommand> commands = new ArrayList<>();
    // without a first heartbeat most of a run would only fill queues
    ModelState.TARGETS.forEach(
        name -> commands.add(new ModelCommand.SendHeartbeat(0, name, false, 0)));
    while (commands.size() < count) {
      commands.add(generator.next());
    }
    return commands;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private int server() {
    return random.nextInt(2);
  }

  private int number() {
    return random.nextInt(NUMBERS);
  }

  private String target() {
    return one(ModelState.TARGETS);
  }

  private ModelCommand next() {
    int dice = random.nextInt(200);
    if (dice < 60) {
      return new ModelCommand.Send(server(), one(ModelState.SENDERS), target(), one(PRIORITIES));
    } else if (dice < 75) {
      return new ModelCommand.Repeat(server(), number());
    } else if (dice < 78) {
      return new ModelCommand.SendOtherContent(server(), number());
    } else if (dice < 98) {
      return new ModelCommand.SendHeartbeat(
          server(), target(), random.nextInt(5) == 0, one(ACTIVE_TASKS));
    } else if (dice < 104) {
      return new ModelCommand.AnswerOne(target());
    } else if (dice < 128) {
      return new ModelCommand.Behave(target(), one(List.of(Behavior.values())));
    } else if (dice < 140) {
      return new ModelCommand.Delegate(server(), one(List.of("S1", "A")), target());
    } else {
      return rare(dice - 140);
    }
  }

  private ModelCommand rare(int dice) {
    if (dice < 5) {
      return new ModelCommand.GoOffline(target());
    } else if (dice < 9) {
      return new ModelCommand.Pause(server(), target());
    } else if (dice < 14) {
      return new ModelCommand.Resume(server(), target());
    } else if (dice < 15) {
      return new ModelCommand.Remove(server(), target());
    } else if (dice < 22) {
      return new ModelCommand.ChangeMode(server(), target(), random.nextInt(3) == 0);
    } else if (dice < 28) {
      return new ModelCommand.Move(server(), target(), random.nextInt(2) == 0);
    } else if (dice < 30) {
      return new ModelCommand.Acknowledge(server(), target());
    } else if (dice < 38) {
      return new ModelCommand.EndPauses(server(), target());
    } else if (dice < 41) {
      return new ModelCommand.Expire(server(), target());
    } else if (dice < 48) {
      return new ModelCommand.LoseReplica(server(), target());
    } else if (dice < 52) {
      return new ModelCommand.Report(server(), number(), one(REPORTS));
    } else if (dice < 55) {
      return new ModelCommand.ReplyToDelegation(server(), number());
    } else {
      return new ModelCommand.ReplyToMessage(server(), number());
    }
  }
}

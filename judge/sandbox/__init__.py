"""Where submissions run: a zygote that holds no cases, and one forked worker per submission.

`process` starts and ends the zygote, `session` speaks with one worker; `zygote` and `worker` are
the other side, and `wire` is what both know. `layers` is what the operating system adds.
"""

"""`wow pool`: makes a pool in one folder and keeps it. One step a file name: what is there is done, so that a run that was ended goes on."""
